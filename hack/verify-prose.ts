#!/usr/bin/env -S node --import tsx
/** Reports sentences in the comments of src, or of the folders that are named, that a reader stops at. */
import { proseProblems } from './support/prose.ts'
import { report, sourceFiles } from './support/source-files.ts'

const named = process.argv.slice(2)
report('sentences that a reader stops at', (named.length > 0 ? named : ['src']).flatMap(sourceFiles).flatMap(proseProblems))
