#!/usr/bin/env -S node --import tsx
/**
 * Reports regular expressions of src that may take more than linear time: a text of a client, a backend or a file would
 * hold the server.
 */
import { EXEMPT_REGEXPS } from './support/exempt-regexps.ts'
import { regexpProblems } from './support/regexp-problems.ts'
import { regexpsOf } from './support/regexps.ts'
import { report, sourceFiles } from './support/source-files.ts'

report('regular expressions that may take more than linear time', regexpProblems(regexpsOf(sourceFiles('src')), EXEMPT_REGEXPS))
