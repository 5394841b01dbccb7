import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const installed = join(root, '.cache/clients')

/** How an example of a page is run with what `hack/clients` has installed. */
export interface LanguageExample {
  readonly language: string
  /** File that exists if the required packages are installed. */
  readonly needs: string
  /** Puts it into a directory. Returns the commands that compile and run it there. */
  put(directory: string, text: string): readonly (readonly string[])[]
}

const put = (directory: string, name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

export const LANGUAGE_EXAMPLES: readonly LanguageExample[] = [
  {
    language: 'go',
    needs: join(installed, 'go/clients'),
    put(directory, text) {
      for (const file of ['go.mod', 'go.sum']) copyFileSync(join(root, 'test/e2e/clients/go', file), join(directory, file))
      put(directory, 'shop_test.go', text)
      return [
        ['go', 'vet', '.'],
        ['go', 'test', '-count=1', '.'],
      ]
    },
  },
  {
    language: 'python',
    needs: join(installed, 'python/requirements.txt'),
    put: (directory, text) => [[join(installed, 'python/bin/python'), '-W', 'error', put(directory, 'shop.py', text)]],
  },
  {
    language: 'java',
    needs: join(installed, 'java/pom.xml'),
    put(directory, text) {
      const source = put(directory, 'Shop.java', text)
      const libraries = join(installed, 'java/lib/*')
      return [
        ['javac', '-Werror', '-cp', libraries, '-d', directory, source],
        ['java', '-cp', `${libraries}:${directory}`, 'Shop'],
      ]
    },
  },
  {
    language: 'rust',
    needs: join(installed, 'rust/target'),
    put(_directory, text) {
      const folder = join(installed, 'rust')
      mkdirSync(join(folder, 'tests'), { recursive: true })
      put(folder, 'tests/shop.rs', text)
      return [['cargo', 'test', '--quiet', '--offline', '--manifest-path', join(folder, 'Cargo.toml')]]
    },
  },
]

export const isInstalled = ({ needs }: LanguageExample): boolean => existsSync(needs)
