import manifest from '../../package.json' with { type: 'json' }

/** The version of this client. */
export const VERSION: string = manifest.version
