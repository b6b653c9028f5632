// For functions that programs call.
#pragma once

#define UPC_API extern "C" __attribute__((visibility("default")))
