import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** `path`: from the root of the repository. */
export const readRepository = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/**
 * Files of the repository that a pattern names, in alphabetical order. `*` is part of a name, and `**` any number of
 * folders. The pattern begins with the name of a folder.
 */
export function filesLike(pattern: string): string[] {
  const [folder = ''] = pattern.split('/')
  const source = pattern.replace(/[.+]/g, '\\$&').replace(/\*\*\/|\*/g, star => (star === '*' ? '[^/]*' : '(?:.*/)?'))
  const like = new RegExp(`^${source}$`)
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names
    .map(name => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter(name => like.test(name))
    .sort()
}

export const isInRepository = (path: string): boolean => existsSync(join(ROOT, path))
