// Calls the WebAssembly module. All decisions about the cluster are made there.
/* global module_as_base64 */
'use strict';

class Engine {
  static async load() {
    const bytes = Uint8Array.from(atob(module_as_base64), each => each.charCodeAt(0));
    const engine = new Engine();
    // The C library of WebAssembly names these functions. Only a failed assertion calls one of them.
    const refuse = () => 52;
    const end = code => { throw new Error(`the module has ended with code ${code}: ${engine.said}`); };
    const system = new Proxy({}, {get: (_, name) =>
      name === 'proc_exit' ? end : name === 'fd_write' ? engine.write.bind(engine) : refuse});
    const imports = {};
    const compiled = await WebAssembly.compile(bytes);
    for (const {module, name} of WebAssembly.Module.imports(compiled)) {
      (imports[module] ??= {})[name] = system[name];
    }
    engine.said = '';
    engine.calls = (await WebAssembly.instantiate(compiled, imports)).exports;
    engine.calls._initialize?.();
    return engine;
  }

  // Collects what the module writes to its error output.
  write(_, list, count, written) {
    const view = new DataView(this.calls.memory.buffer);
    let all = 0;
    for (let i = 0; i < count; ++i) {
      const at = view.getUint32(list + 8 * i, true);
      const length = view.getUint32(list + 8 * i + 4, true);
      this.said += new TextDecoder().decode(new Uint8Array(this.calls.memory.buffer, at, length));
      all += length;
    }
    view.setUint32(written, all, true);
    return 0;
  }

  put(text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.calls.web_input(bytes.length);
    new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
    return {at, length: bytes.length};
  }

  text(at) {
    const bytes = new Uint8Array(this.calls.memory.buffer, at, this.calls.web_length());
    return new TextDecoder().decode(bytes);
  }

  // Throws an Error with the mistake if the text is wrong.
  open(text) {
    this.put(text);
    const mistake = this.calls.web_open();
    if (this.calls.web_length() > 0) throw new Error(this.text(mistake));
  }

  // Plays a scenario to its end. Throws an Error if one of its lines fails.
  scenario(script, left_out) {
    const {at, length} = this.put(script);
    const made = this.calls.web_scenario(at, length, left_out);
    const memory = new Uint8Array(this.calls.memory.buffer);
    return JSON.parse(new TextDecoder().decode(memory.subarray(made, memory.indexOf(0, made))));
  }

  mission(text) {
    this.put(text);
    return JSON.parse(this.text(this.calls.web_mission()));
  }

  choices() { return JSON.parse(this.text(this.calls.web_choices())); }
  state_text() { return this.text(this.calls.web_state()); }
  records(from) { return JSON.parse(this.text(this.calls.web_records(from))); }
  commands() { return this.text(this.calls.web_commands()); }
  step() { return Boolean(this.calls.web_step()); }
  run(until_us) { this.calls.web_run(until_us); }
  command(at_us, text) {
    this.put(text);
    return Boolean(this.calls.web_command(at_us));
  }
}
