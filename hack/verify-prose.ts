#!/usr/bin/env -S node --import tsx
/** Reports sentences in comments that a reader stops at: in the folders that are named, or else in those that have been gone through. */
import { proseProblems } from './support/prose.ts'
import { report, sourceFiles } from './support/source-files.ts'

/** Grows until it is all of src. */
const FINISHED = ['admission', 'audit', 'auth', 'control-plane', 'controllers', 'endpoints', 'faults', 'flow', 'resources', 'server', 'why'].map(
  name => `src/${name}`,
)

const named = process.argv.slice(2)
report('sentences that a reader stops at', (named.length > 0 ? named : FINISHED).flatMap(sourceFiles).flatMap(proseProblems))
