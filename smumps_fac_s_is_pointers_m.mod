!mod$ v1 sum:c48c17ffc28e7e7c
module smumps_fac_s_is_pointers_m
type::s_is_pointers_t
real(4),pointer::a(:)
integer(4),pointer::iw(:)
end type
end
