#!/usr/bin/env -S node --import tsx
/**
 * Reports sentences that a reader stops at: in comments, messages, descriptions, test titles and Markdown, or in those
 * of the folders that are named.
 */
import { proseProblems } from './support/prose.ts'
import { filesOf, report } from './support/source-files.ts'

const TEXTS = /\.(?:[cm]?[jt]sx?|md)$|\bdescriptions\/.*\.txt$/

const named = process.argv.slice(2)
const folders = named.length > 0 ? named : ['.', 'bin', 'docs', 'hack', 'src', 'test']
report('sentences that a reader stops at', folders.flatMap(folder => filesOf(folder, TEXTS)).flatMap(proseProblems))
