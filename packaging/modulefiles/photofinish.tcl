#%Module1.0
# For Environment Modules and Lmod: module use PREFIX/share/modulefiles; module load photofinish
# PREFIX is four levels above this file, wherever the tree was moved to.
set prefix [file dirname [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]]

proc ModulesHelp {} {
  puts stderr "Photofinish detects races in MPI programs: photofinish check -n 4 ./app"
  puts stderr "Also load the module of your MPI. photofinish doctor reports what is missing."
}
module-whatis "Detects races in MPI programs"
conflict photofinish

prepend-path PATH              $prefix/bin
prepend-path MANPATH           $prefix/share/man
prepend-path CMAKE_PREFIX_PATH $prefix
prepend-path C_INCLUDE_PATH    $prefix/include
prepend-path CPLUS_INCLUDE_PATH $prefix/include
setenv PHOTOFINISH_ROOT        $prefix
