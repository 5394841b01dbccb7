import { join } from 'node:path'
import { programFilesIn, readProgramFile } from '../lib/program-files.ts'

/** Beside the built program there is a copy of the same name. */
const folder = join(import.meta.dirname, 'descriptions')

/** What is said of the types of a group, from `GROUP.txt` and every `GROUP-PART.txt`. Nothing of it is read before a document is asked for, nor kept here. */
export const readDescriptions = (group: string): string =>
  programFilesIn(folder)
    .filter(file => file === `${group}.txt` || file.startsWith(`${group}-`))
    .sort()
    .map(file => readProgramFile(join(folder, file)))
    .join('\n')
