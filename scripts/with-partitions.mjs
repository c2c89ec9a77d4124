// For the tests that run once more with partitions (jest.config.js).
process.env['TEST_PARTITIONS'] ??= '4';
