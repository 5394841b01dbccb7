#!/usr/bin/env -S node --import tsx
/** Reports files that the READMEs of src name and that do not exist. */
import { mentionProblems } from './support/file-mentions.ts'
import { filesOf, report } from './support/source-files.ts'

const files = ['src', 'test', 'hack', 'bin'].flatMap(folder => filesOf(folder, /\.tsx?$/)).map(({ path }) => path)
report('files that READMEs name and that do not exist', mentionProblems(filesOf('src', /README\.md$/), files))
