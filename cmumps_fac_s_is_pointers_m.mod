!mod$ v1 sum:b1ae242d43f66e02
module cmumps_fac_s_is_pointers_m
type::s_is_pointers_t
complex(4),pointer::a(:)
integer(4),pointer::iw(:)
end type
end
