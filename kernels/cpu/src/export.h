// What the library shows to Python: everything else is hidden (-fvisibility=hidden).
#ifndef DI_EXPORT_H
#define DI_EXPORT_H

#if defined(_WIN32)
#define DI_EXPORT __declspec(dllexport)
#else
#define DI_EXPORT __attribute__((visibility("default")))
#endif

#endif
