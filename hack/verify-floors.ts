#!/usr/bin/env -S node --import tsx
/**
 * Reports imports of src that do not point downward: a folder can be understood and tested with the folders below it
 * alone.
 */
import { floorProblems } from './support/floors.ts'
import { report, sourceFiles } from './support/source-files.ts'

report('imports that do not point downward', floorProblems(sourceFiles('src')))
