import { dirname, join, resolve } from 'node:path'
import type { Json, JsonObject } from '../api/meta/object.ts'
import { decodeConfigFile, type TypeOfConfig } from '../codec/config-file.ts'
import { goJson } from '../codec/json.ts'
import { readConfigFile } from '../lib/bounded-input.ts'
import { errorMessage } from '../lib/error-message.ts'
import { DecodeError } from '../schema/decode.ts'
import { TypeRegistry } from '../schema/idl.ts'
import { isPluginName, type PluginName } from './plugin-names.ts'

/** The admission configuration is invalid. The message is shown to the user. */
export class AdmissionConfigError extends Error {
  override readonly name = 'AdmissionConfigError'
  /** A code, as system errors have one, marks an error that the user can fix. */
  readonly code = 'ERR_ADMISSION_CONFIG'

  constructor(why: string) {
    super(`failed to apply admission: ${why}`)
  }
}

/** Configuration of each enabled plugin: the content of its own file or of the entry in the main file, YAML or JSON. */
export type PluginConfigurations = ReadonlyMap<PluginName, Buffer>

/** Both versions of the kind have the same fields. */
const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1']

interface PluginEntry {
  readonly name?: string
  readonly path?: string
  readonly configuration?: Json
}

/**
 * Reads the file of `--admission-control-config-file` and the files it names, relative to its folder. The first entry
 * of a plugin wins. Entries of disabled plugins are skipped. Throws AdmissionConfigError with kube-apiserver's message.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
export async function readAdmissionConfiguration(
  file: string,
  plugins: readonly PluginName[],
  warn: (message: string, fields: { readonly plugin: string }) => void,
): Promise<PluginConfigurations> {
  const failed = (why: string): AdmissionConfigError => new AdmissionConfigError(`failed to read plugin config: ${why}`)
  const bytes = await readConfigFile(file).catch((error: unknown) => {
    throw failed(`unable to read admission control configuration from ${JSON.stringify(file)} [${errorMessage(error)}]`)
  })
  const looked = new Set<string>()
  const found = new Map<PluginName, Buffer>()
  for (const { name = '', path = '', configuration } of pluginEntries(bytes, failed)) {
    if (looked.has(name)) continue
    looked.add(name)
    if (!isPluginName(name)) warn('the admission configuration names a plugin that does not exist', { plugin: name })
    else if (plugins.includes(name) && (configuration !== undefined || path !== '')) {
      found.set(name, configuration === undefined ? await readPluginFile(resolve(dirname(file), path)) : Buffer.from(goJson(configuration)))
    }
  }
  return found
}

/** Parses the entries of the main file, strictly. Throws AdmissionConfigError. */
function pluginEntries(bytes: Buffer, failed: (why: string) => AdmissionConfigError): readonly PluginEntry[] {
  try {
    const { plugins } = decodeConfigFile(bytes, typeOf) as { readonly plugins?: readonly PluginEntry[] }
    return plugins ?? []
  } catch (error) {
    throw error instanceof DecodeError ? failed(error.message) : error
  }
}

/** Type of the main file. Its declarations are loaded only if a file is configured. */
const typeOf: TypeOfConfig = (apiVersion, kind) =>
  kind === 'AdmissionConfiguration' && VERSIONS.includes(apiVersion)
    ? new TypeRegistry()
        .addFile('admissionconfig', join(import.meta.dirname, 'admission-configuration.types'))
        .type('admissionconfig.AdmissionConfiguration')
    : undefined

const readPluginFile = (file: string): Promise<Buffer> =>
  readConfigFile(file).catch((error: unknown) => {
    throw new AdmissionConfigError(`couldn't open admission plugin configuration ${file}: ${errorMessage(error)}`)
  })

/**
 * Decodes the configuration of a plugin strictly, without defaults. Returns undefined if the file has none. Throws
 * AdmissionConfigError with kube-apiserver's message.
 */
export function pluginConfiguration(configurations: PluginConfigurations, plugin: PluginName, type: TypeOfConfig): JsonObject | undefined {
  const bytes = configurations.get(plugin)
  if (bytes === undefined || bytes.length === 0) return undefined
  try {
    return decodeConfigFile(bytes, type)
  } catch (error) {
    throw error instanceof DecodeError ? initError(plugin, error.message) : error
  }
}

/** Error for a configuration that a plugin rejects. */
export const initError = (plugin: PluginName, why: string): AdmissionConfigError =>
  new AdmissionConfigError(`couldn't init admission plugin ${JSON.stringify(plugin)}: ${why}`)
