/* What the examples share: an end with the message of an error. */
#ifndef COMMON_H
#define COMMON_H

#include <stdio.h>
#include <stdlib.h>

#include "gcn.h"

/* Prints an error, frees it and ends the program. */
static void fail(gcn_error *error) {
    const char *file = gcn_error_file(error);
    if (file != NULL)
        fprintf(stderr, "%s:%u:%u: ", file, gcn_error_line(error), gcn_error_column(error));
    fprintf(stderr, "error[%s]: %s\n", gcn_error_name(error), gcn_error_message(error));
    if (gcn_error_help(error)[0] != '\0')
        fprintf(stderr, "help: %s\n", gcn_error_help(error));
    gcn_error_free(error);
    exit(EXIT_FAILURE);
}

#endif
