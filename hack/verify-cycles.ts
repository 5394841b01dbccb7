#!/usr/bin/env -S node --import tsx
/**
 * Reports files of src, and groups and kinds of src/resources, that import each other, if only types: one in a cycle
 * cannot be understood, tested or moved without the others.
 */
import { fileCycles, folderCycles } from './support/cycles.ts'
import { report, sourceFiles } from './support/source-files.ts'

const files = sourceFiles('src')
report('import cycles', [...fileCycles(files), ...folderCycles(files)])
