/* device_group.h: how many items of a row work side by side on a device. */
#ifndef RVI_DEVICE_DEVICE_GROUP_H
#define RVI_DEVICE_DEVICE_GROUP_H

enum { RVI_DEVICE_GROUP = 64 };

/* Items that add up a block of values, and how many they bring at a time. */
enum { RVI_SUM_GROUP = 256, RVI_SUM_PART = 2048 };

#endif
