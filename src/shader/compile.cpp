#include "shader/compile.hpp"
