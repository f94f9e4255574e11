// A Zarr array as the output of a job with a journal.
#pragma once

#include <string>

#include "disk/request.hpp"
#include "files/file_target.hpp"

namespace faro::inline v1::disk {

// Of a file that may be replaced, or of a folder that is to be made.
FileTarget target_of(const std::string& out);

// `header` is the journal's first line, which `request` was read from.
PermuteFileReport resume_zarr(const JobRequest& request, std::string_view header,
                              const std::string& out, const ResumeFileOptions& options);

}  // namespace faro::inline v1::disk
