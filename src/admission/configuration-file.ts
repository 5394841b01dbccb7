import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { decodeConfigFile, type TypeOfConfig } from '../codec/config-file.ts'
import { goJson } from '../codec/json.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { DecodeError } from '../schema/decode.ts'
import { TypeRegistry } from '../schema/idl.ts'
import { isPluginName, type PluginName } from './plugin-names.ts'

/** A configuration of admission that can't be used; the message is for the user. */
export class AdmissionConfigError extends Error {
  override readonly name = 'AdmissionConfigError'
  /** As errors of the system have one: the user's to mend. */
  readonly code = 'ERR_ADMISSION_CONFIG'

  constructor(why: string) {
    super(`failed to apply admission: ${why}`)
  }
}

/** What the file has for each plugin that is on: a file of the plugin's own, YAML or JSON. */
export type PluginConfigurations = ReadonlyMap<PluginName, Buffer>

/** The kind goes by two versions, with the same fields. */
const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1']

interface PluginEntry {
  readonly name?: string
  readonly path?: string
  readonly configuration?: Json
}

/**
 * Reads the file of `--admission-control-config-file` and the files that it names, relative to its own folder. Of several entries for a plugin the first counts, and plugins that are not on are not
 * looked at. Throws AdmissionConfigError in kube-apiserver's words.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
export async function readAdmissionConfiguration(
  file: string,
  plugins: readonly PluginName[],
  warn: (message: string, fields: { readonly plugin: string }) => void,
): Promise<PluginConfigurations> {
  const failed = (why: string): AdmissionConfigError => new AdmissionConfigError(`failed to read plugin config: ${why}`)
  const bytes = await readFile(file).catch((error: unknown) => {
    throw failed(`unable to read admission control configuration from ${JSON.stringify(file)} [${errorMessage(error)}]`)
  })
  const looked = new Set<string>()
  const found = new Map<PluginName, Buffer>()
  for (const { name = '', path = '', configuration } of entriesOf(bytes, failed)) {
    if (looked.has(name)) continue
    looked.add(name)
    if (!isPluginName(name)) warn('the admission configuration names a plugin that does not exist', { plugin: name })
    else if (plugins.includes(name) && (configuration !== undefined || path !== '')) {
      found.set(name, configuration === undefined ? await readPluginFile(resolve(dirname(file), path)) : Buffer.from(goJson(configuration)))
    }
  }
  return found
}

function entriesOf(bytes: Buffer, failed: (why: string) => AdmissionConfigError): readonly PluginEntry[] {
  try {
    const { plugins } = decodeConfigFile(bytes, typeOf) as { readonly plugins?: readonly PluginEntry[] }
    return plugins ?? []
  } catch (error) {
    throw error instanceof DecodeError ? failed(error.message) : error
  }
}

/** Declarations are read when there is a file. */
const typeOf: TypeOfConfig = (apiVersion, kind) =>
  kind === 'AdmissionConfiguration' && VERSIONS.includes(apiVersion)
    ? new TypeRegistry().addFile('admissionconfig', join(import.meta.dirname, 'admission-configuration.types')).type('admissionconfig.AdmissionConfiguration')
    : undefined

const readPluginFile = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw new AdmissionConfigError(`couldn't open admission plugin configuration ${file}: ${errorMessage(error)}`)
  })

/** The configuration of a plugin, decoded strictly and not defaulted; undefined where there is none. Throws AdmissionConfigError in kube-apiserver's words. */
export function pluginConfiguration(configurations: PluginConfigurations, plugin: PluginName, type: TypeOfConfig): JsonObject | undefined {
  const bytes = configurations.get(plugin)
  if (bytes === undefined || bytes.length === 0) return undefined
  try {
    return decodeConfigFile(bytes, type)
  } catch (error) {
    throw error instanceof DecodeError ? initError(plugin, error.message) : error
  }
}

/** For a configuration that the plugin does not take. */
export const initError = (plugin: PluginName, why: string): AdmissionConfigError =>
  new AdmissionConfigError(`couldn't init admission plugin ${JSON.stringify(plugin)}: ${why}`)
