"""Certificates for tests, made by the openssl command."""

import shutil
import subprocess

import pytest

__all__ = ["make_authority", "make_certificate", "tls_options"]


def openssl(folder, *arguments):
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command")
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_authority(folder, name):
    """A certificate that signs others: NAME.pem and NAME.key."""
    files = ("-keyout", f"{name}.key", "-out", f"{name}.pem")
    subject = ("-subj", f"/CN={name}", "-days", "2", "-nodes")
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *files, *subject)
    return folder / f"{name}.pem"


def make_certificate(folder, name, authority):
    """A certificate signed by an authority: NAME.pem and NAME.key."""
    request = ("-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", "-nodes")
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *request)
    signer = ("-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", *signer, "-out", f"{name}.pem", "-days", "2")
    return folder / f"{name}.pem", folder / f"{name}.key"


def tls_options(folder, name, ca="ca"):
    """Options of the dask command that name certificates."""
    files = {"--tls-ca-file": f"{ca}.pem", "--tls-cert": f"{name}.pem", "--tls-key": f"{name}.key"}
    return [word for option, file in files.items() for word in (option, str(folder / file))]
