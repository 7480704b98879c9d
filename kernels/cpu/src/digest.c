// Which sources this library was built from; build.py defines DI_SOURCE_DIGEST.
#include "export.h"

DI_EXPORT const char *di_source_digest(void);

const char *di_source_digest(void) { return DI_SOURCE_DIGEST; }
