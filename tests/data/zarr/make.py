"""Arrays that zarr-python 3.1.6 wrote, which tests/disk/stored/zarr_store_test.cpp reads.

usage: python make.py FOLDER      element i in C order is 7 i + 3, but for what is left at the fill value 0
"""
import sys

import numpy as np
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec

folder = sys.argv[1]


def put(name, shape, dtype, begin=0, end=0, **options):
    values = 7 * np.arange(int(np.prod(shape))) + 3
    values[begin:end] = 0
    array = zarr.create_array(f"{folder}/{name}", shape=shape, dtype=dtype, overwrite=True, fill_value=0, **options)
    array[...] = values.reshape(shape)


# Of 73 shards of 16 three have anything; the last hangs over the end.
put("shards_of_16", (1153,), "uint16", 20, 1140, chunks=(4,), shards=(16,), compressors=None)
inner = ShardingCodec(chunk_shape=(2, 3), codecs=[BytesCodec(), GzipCodec(level=1)])
put("nested", (9, 10), "int32", chunks=(8, 12), serializer=ShardingCodec(chunk_shape=(4, 6), codecs=[inner]), compressors=None)
put("index_first", (5, 7), "uint16", chunks=(4, 6), compressors=None, serializer=ShardingCodec(
    chunk_shape=(2, 3), codecs=[TransposeCodec(order=(1, 0)), BytesCodec(endian="big"), Crc32cCodec()],
    index_location="start"))
put("fortran_big", (5, 7), ">i4", chunks=(3, 4), order="F", zarr_format=2, compressors={"id": "zlib", "level": 1},
    chunk_key_encoding={"name": "v2", "separator": "/"})
put("gzip", (2, 3, 5), "int64", chunks=(2, 2, 2), compressors=GzipCodec(level=1),
    dimension_names=("z", "y", "x"))
put("lz4", (10,), "uint32", chunks=(4,), zarr_format=2, compressors={"id": "lz4", "acceleration": 1})
put("scalar", (), "uint8", compressors=None)
put("none", (3, 0), "uint8", compressors=None)
