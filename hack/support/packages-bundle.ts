import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import type protobuf from 'protobufjs'
import { isExternal } from './external-packages.ts'

/** Packages that the bundles of dist require while they run, by the paths that they are required by. */
export function requiredPackages(bundles: readonly string[]): string[] {
  const names = bundles.flatMap(file => [...readFileSync(file, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name))
  const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  return [...new Set(names)].filter(name => isExternal(packageOf(name))).sort()
}

/** Makes one script of packages: a function that returns what `require` would, and loads a package at its first use. */
export async function packagesBundle(
  root: string,
  names: readonly string[],
): Promise<{ readonly text: string; readonly metafile: Metafile }> {
  const contents = `const packages = {${names.map(name => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`).join()}}
    module.exports = name => {
      if (!Object.hasOwn(packages, name)) throw Object.assign(new Error('no package ' + name), { code: 'MODULE_NOT_FOUND' })
      return packages[name]()
    }`
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, loader: 'js' },
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    charset: 'ascii',
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [protocolWithin],
  })
  const [{ text } = { text: '' }] = outputFiles
  return { text, metafile }
}

/** `etcd3` reads the protocol from a file beside it. */
const protocolWithin: Plugin = {
  name: 'protocol-within',
  setup({ onLoad }) {
    onLoad({ filter: /etcd3\/lib\/connection-pool\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands there
      const read = 'loadSync)(`${__dirname}/../proto/rpc.proto`,'
      if (source.split(read).length !== 2) throw new Error(`${path} no longer reads its protocol by ${read}`)
      const { Root } = createRequire(path)('protobufjs') as typeof protobuf
      const protocol = new Root().loadSync(join(path, '../../proto/rpc.proto'), { keepCase: true }).toJSON()
      return { contents: source.replace(read, () => `fromJSON)(${JSON.stringify(protocol)},`) }
    })
  },
}
