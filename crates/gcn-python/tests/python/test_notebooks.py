"""Executes the notebooks of the examples."""

import importlib.util
import json
import pathlib
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples/python"
NEEDED = ["numpy", "matplotlib", "nbclient", "nbformat", "ipykernel"]
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]


class Notebooks(unittest.TestCase):
    def test_outputs_are_not_in_the_repository(self):
        for path in EXAMPLES.glob("*.ipynb"):
            for cell in json.loads(path.read_text())["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path.name)

    @unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
    def test_kernels(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(EXAMPLES / "kernels.ipynb", as_version=4)
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]

        def printed(text):
            """What the only cell with a text prints."""
            cell, = [cell for cell in cells if text in cell.source]
            return "".join(it.text for it in cell.outputs if it.output_type == "stream" and it.name == "stdout")

        race = printed("reverse.launch(256, 256, (xs,), check=True).findings:")
        self.assertTrue(race.startswith("error[lds-race]"), race)
        self.assertIn("ds_read_b32 v2, v3\n", race)
        swept = printed("launch.variations(")
        self.assertRegex(swept, r"<amdgcn.Table: 17 launches, .*mismatch")
        self.assertEqual(printed("RIGHT = "), "[] True\n")
        self.assertEqual(printed("amdgcn.Launch(RIGHT"), "<amdgcn.Table: 16 launches, 16 ok>\n")
        self.assertRegex(printed("axpy[4096, 64]"), r"^64 waves, \d+ instructions: True\n$")
        plots = [it for cell in cells for it in cell.outputs if it.output_type == "display_data"]
        self.assertEqual(len(plots), 1)
        self.assertIn("image/png", plots[0].data)


if __name__ == "__main__":
    unittest.main()
