"""The low-level interface of a world for experts and hosts: ids, rows and addresses. Other programs use the public package."""
