-- For Lmod: module use PREFIX/share/modulefiles; module load photofinish
-- PREFIX is four levels above this file, wherever the tree was moved to.
local prefix = myFileName()
for _ = 1, 4 do
  prefix = prefix:match("^(.*)/[^/]*$")
end

help([[
Photofinish detects races in MPI programs: photofinish check -n 4 ./app
Also load the module of your MPI. photofinish doctor reports what is missing.
]])
whatis("Detects races in MPI programs")
conflict("photofinish")

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
prepend_path("C_INCLUDE_PATH", pathJoin(prefix, "include"))
prepend_path("CPLUS_INCLUDE_PATH", pathJoin(prefix, "include"))
setenv("PHOTOFINISH_ROOT", prefix)
