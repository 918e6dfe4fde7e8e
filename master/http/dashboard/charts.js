// The charts of the last ten minutes, by uPlot (uplot/), which is a global of its own.
/* global uPlot */

const plots = [
  {title: 'Matches and refusals a second', series: [
    {label: 'matches/s', key: 'matches_per_s', ink: 'playing'},
    {label: 'refusals/s', key: 'refusals_per_s', ink: 'draining', dash: [4, 4]}]},
  {title: 'Time to match and boot time, ms, of the minute before', series: [
    {label: 'match p50', key: 'match_p50_ms', ink: 'playing'},
    {label: 'match p99', key: 'match_p99_ms', ink: 'draining', dash: [4, 4]},
    {label: 'boot p50', key: 'boot_p50_ms', ink: 'holds', dash: [1, 3]}]},
  {title: 'Requests waiting, and rooms', series: [
    {label: 'waiting', key: 'waiting', ink: 'starting'},
    {label: 'rooms', key: 'rooms', ink: 'holds', dash: [4, 4]}]}
];
const plot_height = 130;
const seconds = 600;  // shown

const shown = (_, value) => value === null || value === undefined ? '–' :
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 10) / 10);

const clock = (at_s, timeStyle) =>
  new Date(at_s * 1000).toLocaleTimeString('en-GB', {timeStyle});

export class Charts {
  constructor(place) {
    this.place = place;
    this.data = plots.map(plot => [[], ...plot.series.map(() => [])]);
    this.restyle();
    new ResizeObserver(() => {
      for (const plot of this.plots) plot.setSize({width: place.clientWidth, height: plot_height});
    }).observe(place);
  }

  // The colours of the page have changed.
  restyle() {
    const style = getComputedStyle(document.documentElement);
    const ink = name => style.getPropertyValue(`--${name}`).trim();
    const axis = {stroke: ink('soft'), grid: {stroke: ink('line'), width: 1},
      ticks: {show: false}, font: '11px system-ui, sans-serif'};
    this.place.replaceChildren();
    this.plots = plots.map((plot, index) => new uPlot({
      title: plot.title,
      width: this.place.clientWidth,
      height: plot_height,
      cursor: {y: false},
      scales: {
        x: {range: (_, least, most) => [(most ?? seconds) - seconds, most ?? seconds]},
        y: {range: (_, least, most) => [0, Math.max(1, (most ?? 0) * 1.1)]}
      },
      axes: [
        {...axis, size: 26, values: (_, times) => times.map(at => clock(at, 'short'))},
        {...axis, size: 44}
      ],
      series: [{value: (_, at) => at === null ? '–' : clock(at, 'medium')},
        ...plot.series.map(({label, ink: name, dash}) =>
          ({label, stroke: ink(name), width: 1.5, dash, value: shown, points: {show: false}}))]
    }, this.data[index], this.place));
    this.plots.forEach((plot, index) => {
      plot.root.setAttribute('role', 'group');
      plot.root.setAttribute('aria-label', `Chart: ${plots[index].title}`);
    });
  }

  show(samples) {
    const times = samples.map(sample => sample.at_s);
    plots.forEach((plot, index) => {
      this.data[index] =
        [times, ...plot.series.map(({key}) => samples.map(sample => sample[key]))];
      this.plots[index].setData(this.data[index]);
    });
  }
}
