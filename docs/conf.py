"""The documentation's settings. ``make docs`` builds it; warnings are errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import regard

project = "regard"
author = "The regard authors"
release = regard.__version__
copyright = "the regard authors; MIT licence"  # noqa: A001

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "building.complete",
    "building.directives",
    "building.docstrings",
    "building.formulas",
    "building.searching",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "building"]
nitpicky = True
nitpick_ignore_regex = [
    # Types in signatures: of other libraries, or named after the file they live in, not after their door.
    (r"py:(class|data|obj)", r".*"),
]
suppress_warnings = [
    "config.cache",
    "misc.highlighting_failure",  # an excerpt with dots is not whole JSON
]

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
add_module_names = False

html_theme = "furo"
html_title = "regard"
html_static_path = ["static"]
html_css_files = ["regard.css"]
html_js_files = ["offline.js"]
html_math_renderer = "mathml"
html_search_language = "en-zh"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f4e86",
        "color-brand-content": "#1f4e86",
        # Chinese fonts last: their quotation marks are as wide as a character. Chinese pages: regard.css.
        "font-stack": "-apple-system, 'Segoe UI', 'Noto Sans', Arial, 'Liberation Sans', 'DejaVu Sans', "
        "sans-serif",
        "code-font-size": "0.78em",
    },
    "dark_css_variables": {"color-brand-primary": "#8cbcf5", "color-brand-content": "#8cbcf5"},
}
