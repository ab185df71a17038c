"""Small games solved exactly: values, best responses and NashConv, by `lowhand solve`."""
