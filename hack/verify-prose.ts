#!/usr/bin/env -S node --import tsx
/** Reports sentences in comments that a reader stops at: in the folders that are named, or else in those that have been gone through. */
import { proseProblems } from './support/prose.ts'
import { report, sourceFiles } from './support/source-files.ts'

/** Folders that have been gone through. Grows until it is all of src. */
const FINISHED =
  'admission apply audit auth catalog cel clients commands config console control-plane controllers endpoints extensions faults flow lifecycle meta process protocols registry resources server storage testing upgrade why'
    .split(' ')
    .map(name => `src/${name}`)

const named = process.argv.slice(2)
report('sentences that a reader stops at', (named.length > 0 ? named : FINISHED).flatMap(sourceFiles).flatMap(proseProblems))
