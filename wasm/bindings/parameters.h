// Conversions that models in training share: arrays of numbers, and parameters by name.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/model_weights.h>
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

// Settings by name from names and texts in turn, and back.
Metadata pairs_of(const Names& settings);
Names to_javascript(const Metadata& settings);

// Copies of these parameters, all of them or those of these names.
NamedTensors copies_of(Engine& engine, const std::vector<StoredParameter>& stored,
                       const Names& names, const char* call);
// Replaces the parameters of these names by `values`; none where one does not fit.
void set_parameters(const std::vector<StoredParameter>& stored, const Names& names,
                    const NamedTensors& values);

}  // namespace tril::js
