/* prelude.cl: what the headers that C and OpenCL C share take for granted. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define UINT64_C(x) x##UL
#define sqrtf sqrt
#define fabsf fabs
#define RVI_GRID __global
#define RVI_CALLED static __attribute__((noinline))
#define RVI_CONSTANT __constant
