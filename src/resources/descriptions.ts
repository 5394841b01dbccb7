import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the built program there is a copy of the same name. */
const folder = join(import.meta.dirname, 'descriptions')

/** What is said of the types of a group, from `GROUP.txt` and every `GROUP-PART.txt`. Nothing of it is read before a document is asked for, nor kept here. */
export const readDescriptions = (group: string): string =>
  readdirSync(folder)
    .filter(file => file === `${group}.txt` || file.startsWith(`${group}-`))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
