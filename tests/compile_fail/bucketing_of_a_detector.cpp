// build error: fltr: Bucketing must not wrap a Detector
#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/fl_detector.hpp>

// A bucket is the mean of several clients, and the detector judges single clients.
fltr::Bucketing<fltr::FlDetector<>> server;
