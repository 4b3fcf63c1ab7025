// rocPRIM's way of calling.
#pragma once

// rocPRIM uses what these have without including them.
#include <functional>
#include <iostream>

#include "check.h"

// Calls a function of rocPRIM twice, as they all want: for the size of its storage, and to do its work.
template <typename Call>
void with_storage(Call call) {
    size_t size = 0;
    CHECK(call(nullptr, size));
    const DeviceArray<char> storage(size + 1);
    CHECK(call(storage.data(), size));
}
