// Everything for users in one header: maps and their words, arrays in memory and in files, plans on
// machines and their verification.
#pragma once

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/algebra/gray.hpp"
#include "faro/algebra/layout.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/arrays/array.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/text.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/json_reader.hpp"
#include "faro/schedules/json_writer.hpp"
#include "faro/service/catalogue.hpp"
#include "faro/service/explain.hpp"
#include "faro/service/plan.hpp"
#include "faro/service/verify.hpp"
#include "faro/simulation/simulate.hpp"
#include "faro/words/say.hpp"
