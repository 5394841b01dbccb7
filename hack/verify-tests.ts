#!/usr/bin/env -S node --import tsx
/**
 * Reports sources whose tests are not where test/README.md says, and unit tests without a source. Given files of src,
 * prints the tests of each instead.
 */
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { report, sourceFiles } from './support/source-files.ts'
import { readSharedTests, TestMap } from './support/test-map.ts'

const root = join(import.meta.dirname, '..')
const sources = sourceFiles('src').filter(({ path }) => !/\.(?:d|types)\.ts$/.test(path))
const map = new TestMap({
  sources,
  tests: sourceFiles('test'),
  shared: readSharedTests(readFileSync(join(root, 'test/README.md'), 'utf8')),
})
const named = process.argv.slice(2).map(file => relative(root, resolve(file)))
if (named.length === 0) report('sources whose test is not found, and tests whose source is not', map.problems())
for (const source of named) console.log([`${source}:`, ...map.testsOf(source)].join('\n  '))
