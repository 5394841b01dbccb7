import { join } from 'node:path'
import { programFilesIn, readProgramFile } from '../lib/program-files.ts'

/** The built program has a copy of the same name. */
const folder = join(import.meta.dirname, 'descriptions')

/**
 * Reads the descriptions of a group's types, from `GROUP.txt` and every `GROUP-PART.txt`. They are read when an OpenAPI
 * document is built, and not cached here.
 */
export const readDescriptions = (group: string): string =>
  programFilesIn(folder)
    .filter(file => file === `${group}.txt` || file.startsWith(`${group}-`))
    .sort()
    .map(file => readProgramFile(join(folder, file)))
    .join('\n')
