#!/usr/bin/env -S node --import tsx
/**
 * Reports names in src that cannot be searched for, and private members and constants in another style than the others.
 */
import { nameProblems } from './support/names.ts'
import { report, sourceFiles } from './support/source-files.ts'

report('names that cannot be searched for, or in another style', nameProblems(sourceFiles('src')))
