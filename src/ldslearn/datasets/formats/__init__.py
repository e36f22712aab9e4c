"""Readers of file formats, one module per format.

Tables of text: `text_lines` reads lines and numbers, `csv_table` the columns, `timestamps` the
times as texts, `time_columns` recognises the time column, `time_faults` checks its times.
"""
