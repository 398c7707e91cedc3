// scripts: the import table's check. Reads imports with the TypeScript parser.
//   checkImports.ts [ROOT]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { ENTRANCES, ROOMS, type Room } from "./importTable";

type Import = { readonly name: string; readonly typeOnly: boolean; readonly position: number };

const isTypeOnlyImport = ({ importClause: clause }: ts.ImportDeclaration): boolean => {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  if (clause.name || !bindings || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
};

const isTypeOnlyExport = (node: ts.ExportDeclaration): boolean => {
  if (node.isTypeOnly) return true;
  const clause = node.exportClause;
  return (
    clause !== undefined &&
    ts.isNamedExports(clause) &&
    clause.elements.every((element) => element.isTypeOnly)
  );
};

/** What an import(), a require(), an import or an export … from names; undefined for anything else. */
function importOf(node: ts.Node): Import | "computed" | undefined {
  const position = node.getStart();
  const named = (expression: ts.Node | undefined, typeOnly: boolean): Import | "computed" =>
    expression && ts.isStringLiteralLike(expression)
      ? { name: expression.text, typeOnly, position }
      : "computed";
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, isTypeOnlyImport(node));
  if (ts.isExportDeclaration(node)) {
    return node.moduleSpecifier && named(node.moduleSpecifier, isTypeOnlyExport(node));
  }
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? named(node.argument.literal, true) : "computed";
  if (ts.isExternalModuleReference(node)) return named(node.expression, false);
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  return isImport || isRequire ? named(node.arguments[0], false) : undefined;
}

/** Ways to a clock, to randomness or to a forbidden global that the linter's list of names does not see. */
const impureUse = (node: ts.Node): string | undefined => {
  if (ts.isIdentifier(node) && node.text === "globalThis") return node.text;
  const isMember = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  return isMember && /^Math\s*(\.\s*random|\[.*random.*\])$/s.test(node.getText())
    ? "Math.random"
    : undefined;
};

function ownerOf(file: string): { readonly name: string; readonly room: Room | undefined } {
  const [top = "", folder = ""] = file.split("/");
  if (top === "webview-ui") return { name: top, room: ENTRANCES[top] };
  const isFileOfSrc = file.split("/").length === 2;
  return isFileOfSrc ? { name: file, room: ENTRANCES[file] } : { name: folder, room: ROOMS[folder] };
}

function problemWith(
  { name, typeOnly }: Import,
  file: string,
  owner: string,
  room: Room,
): string | undefined {
  if (name.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(file), name);
    const isEntrance = `${target}.ts` in ENTRANCES;
    const folder = target.startsWith("webview-ui/") ? "webview-ui" : /^src\/([^/]+)\//.exec(target)?.[1];
    const targetOwner = isEntrance ? `${target}.ts` : folder;
    if (targetOwner !== undefined && targetOwner === owner) return undefined;
    if (targetOwner !== undefined && room.rooms.includes(targetOwner)) return undefined;
    if (targetOwner !== undefined && room.typesOf?.includes(targetOwner)) {
      return typeOnly ? undefined : `${owner} may import types only from ${targetOwner}`;
    }
    return `${owner} may not import ${targetOwner ?? target}`;
  }
  if (name.startsWith("node:") || isBuiltin(name))
    return room.node ? undefined : `${owner} may not import ${name}`;
  const packageName = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
  return room.packages.includes(packageName)
    ? undefined
    : `${owner} may not import the package ${packageName}`;
}

function violationsOf(file: string, text: string): string[] {
  const { name: owner, room } = ownerOf(file);
  if (!room) return [`${file}: ${owner} is not in the import table`];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const report = (node: ts.Node, problem: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1}: ${problem}`);
  };
  const visit = (node: ts.Node): void => {
    const imported = importOf(node);
    if (imported === "computed") report(node, "an import whose name is computed cannot be checked");
    else if (imported) {
      const problem = problemWith(imported, file, owner, room);
      if (problem) report(node, problem);
    }
    const impure = room.pure ? impureUse(node) : undefined;
    if (impure) report(node, `${owner} is pure and may not use ${impure}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function sourceFiles(root: string, folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .sort();
}

/** Every import of `src` and `webview-ui` that the table does not allow, as `file:line: problem`. */
export function importViolations(root: string): string[] {
  const files = [...sourceFiles(root, "src"), ...sourceFiles(root, "webview-ui")];
  if (files.length === 0) return ["no source files: nothing was checked"];
  return files.flatMap((file) => violationsOf(file, readFileSync(path.join(root, file), "utf8")));
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] && path.resolve(process.argv[1]) === self) {
  const violations = importViolations(path.resolve(process.argv[2] ?? path.join(path.dirname(self), "..")));
  for (const violation of violations) console.error(violation);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
