from urllib.error import HTTPError

import pytest
from libretranslatepy import LibreTranslateAPI

from regard.serving import Settings, Shelf, Studio
from tests.serving.calling import Server, serving


def test_libretranslates_own_client_translates_detects_and_lists(server: Server, shelf: Shelf) -> None:
    libre = LibreTranslateAPI(server.address)
    text = "alpha & béta + 猫"
    assert libre.translate(text, "en", "fr", timeout=30) == (
        shelf.models["small"].translator.translate([text])[0].text
    )
    assert {"en", "fr"} <= {one["language"] for one in libre.detect("the cat is not here", timeout=30)}
    assert libre.detect("the cat is not here", timeout=30)[0]["language"] == "en"
    assert {one["code"] for one in libre.languages(timeout=30)} == {"en", "de"}


def test_its_client_sends_its_key(shelf: Shelf) -> None:
    with serving(Studio(shelf, Settings(port=0, keys=("sesam",)))) as server:
        assert LibreTranslateAPI(server.address, api_key="sesam").translate("alpha", "en", "fr") is not None
        with pytest.raises(HTTPError) as caught:
            LibreTranslateAPI(server.address, api_key="mellon").translate("alpha", "en", "fr")
        assert caught.value.code == 403
        caught.value.close()
