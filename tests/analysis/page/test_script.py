import re

import pytest

from bncc.analysis.page.script import join_modules


def joined(**files):
    return join_modules("main.js", lambda name: files[name.removesuffix(".js")])


def test_modules_come_after_what_they_import_and_once():
    script = joined(
        main='import { a } from "./first.js";\nimport { b } from "./second.js";\nconst c = a + b;',
        first='import { b } from "./second.js";\n\nexport const a = b;\n',
        second="export function b() {}\n",
    )
    assert re.findall(r'^modules\["(\w+)\.js"\]', script, re.MULTILINE) == ["second", "first", "main"]


def test_imports_over_several_lines_and_all_exports_are_joined():
    script = joined(
        main='import {\n  a,\n  b,\n} from "./one.js";\n',
        one="export const a = 1;\nconst own = 2;\nexport function b() {}",
    )
    assert 'const {\n  a,\n  b,\n} = modules["one.js"];' in script
    assert "return { a, b };" in script
    assert not re.search(r"^(import|export)", script, re.MULTILINE)


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match=r"main\.js -> one\.js -> main\.js"):
        joined(main='import { a } from "./one.js";', one='import { b } from "./main.js";\nexport const a = 1;')


def test_names_that_are_not_exported_are_refused():
    with pytest.raises(ValueError, match=r"main\.js must import what one\.js exports; got b"):
        joined(main='import { a, b } from "./one.js";', one="export const a = 1;\nconst b = 2;")


@pytest.mark.parametrize(
    "text",
    [
        'import a from "./one.js";',
        'import { a } from "package";',
        "export default 1;",
        "export { a };",
        "export class A {}",
        "export let a = 1;",
    ],
)
def test_other_forms_are_refused(text):
    with pytest.raises(ValueError, match=r"main\.js must import and export names only"):
        joined(main=text)
