import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell, Request } from './cell.ts'

const FILE = join(import.meta.dirname, '..', '..', 'fixtures', 'resource-versions', 'table.jsonl')

/** The table: a cell a line. */
export const readTable = (): Cell[] =>
  existsSync(FILE)
    ? readFileSync(FILE, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as Cell)
    : []

export const writeTable = (cells: readonly Cell[]): void => writeFileSync(FILE, cells.map(cell => `${JSON.stringify(cell)}\n`).join(''))

export const idOf = ({ do: line, token }: Request): string => (token === undefined ? line : `${line} ${token}`)
