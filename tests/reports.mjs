// The three runners' JSON reports, each read into { passed, failed, skipped, failures }, where
// `failures` are { name, message }.

const count = () => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

function fail(result, name, message) {
  result.failed += 1;
  result.failures.push({ name, message });
}

/** Reads --gtest_output=json. */
export function readGoogleTest(report) {
  const result = count();
  for (const group of report.testsuites) {
    for (const test of group.testsuite) {
      const name = `${group.name}.${test.name}`;
      if (test.failures?.length > 0) {
        fail(result, name, test.failures.map((each) => each.failure).join('\n'));
      } else if (test.status !== 'RUN' || test.result === 'SKIPPED') {
        result.skipped += 1;
      } else {
        result.passed += 1;
      }
    }
  }
  return result;
}

/** Reads vitest --reporter=json; a file that cannot be loaded counts as one failed test. */
export function readVitest(report) {
  const result = count();
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') result.passed += 1;
      else if (test.status === 'failed')
        fail(result, test.fullName, test.failureMessages.join('\n'));
      else result.skipped += 1;
    }
    if (
      file.status === 'failed' &&
      !file.assertionResults.some((test) => test.status === 'failed')
    ) {
      fail(result, file.name, file.message);
    }
  }
  return result;
}

/** Reads playwright --reporter=json; a test that passed only when repeated counts as failed. */
export function readPlaywright(report) {
  const result = count();
  for (const error of report.errors ?? []) fail(result, 'outside any test', error.message);
  const visit = (suite, path) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        const name = [...path, spec.title, test.projectName].filter(Boolean).join(' > ');
        const messages = test.results.flatMap((each) => each.errors ?? []).map((e) => e.message);
        if (test.status === 'expected') result.passed += 1;
        else if (test.status === 'skipped') result.skipped += 1;
        else fail(result, name, messages.join('\n') || test.status);
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, [...path, inner.title]);
  };
  for (const suite of report.suites) visit(suite, [suite.title]);
  return result;
}
