faro explain 'r:3 c:2 -> gray(c) rev(r)'                 # what does this map do?
faro explain 'cyclic:2|3 => consecutive'                 # from one layout to another
make_signal 16 x.npy                                     # complex numbers; from build/release/examples
faro permute x.npy y.npy --map 'i -> rev(i)' --verify    # bit reversal, checked
faro permute x.npy --in-place --map 'r:8 c:8 -> c r'     # a square transpose, in place
faro rechunk x.npy x.zarr --chunks 4096                  # other chunks, shards, axes; any lengths
faro check x.npy x.zarr                                  # equal, or the first that differs
faro plan 'a -> ungray(a)' --on cube:6 --elements 100    # a proved schedule for 64 processors
faro plan 'a -> ungray(a)' --on cube:60 --elements 100   # the same for 2^60
faro plan 'i -> rev(i)' --on mesh:8x8 --schedule s.json  # written as a file that anybody
faro verify s.json                                       # can check
faro paper conversion | head -20                         # a paper's figures, recomputed
