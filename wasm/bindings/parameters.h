// Conversions that models and their training share: arrays of numbers, reports, settings.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/trainer.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "output.h"

namespace tril::js {

std::vector<std::int32_t> numbers_of(const Integers& integers);
Numbers to_javascript(std::initializer_list<double> numbers);
Integers to_javascript(const std::vector<std::int32_t>& numbers);
// Step, loss, norm of the gradient, learning rate, milliseconds, tokens, milliseconds of forward,
// backward and optimizer.
Numbers to_javascript(const TrainingStep& step);
// The mean loss, the number of targets that count, and the number that are held most likely.
Numbers to_javascript(const ModelLoss& loss);

// Settings by name from names and values in turn, and back.
Metadata pairs_of(const Names& settings);
Names to_javascript(const Metadata& settings);

}  // namespace tril::js
