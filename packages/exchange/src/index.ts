export {
  type ExportHeader,
  type ExportLine,
  isExportHeader,
  readExport,
  writeExport,
} from './export-file.ts';
export { OPENCLAW, readOpenClaw } from './read-openclaw.ts';
export { parseExport } from './json-lines.ts';
