module example.org/flipd/client

go 1.19
